import { expect } from 'chai'
import { amount } from '../support/amount.ts'
import { createTestDatabase, onEachEngine } from '../support/database.ts'
import { bootstrap } from '../support/server.ts'
import { startProcess } from '../support/two-processes.ts'

const KILLS = amount('C1_KILLS', 3, 50)

onEachEngine((engine) => {
  describe('a setting under kill -9', function () {
    this.timeout(30_000 * KILLS + 30_000)

    it(`survives a kill right after its 200, with its audit entry, ${KILLS} of ${KILLS} times`, async () => {
      const home = await createTestDatabase(engine)
      let service = await startProcess(home)
      try {
        await bootstrap(service)
        const { adminKey } = service
        for (let round = 1; round <= KILLS; round++) {
          const value = String(round)
          const answer = await service.call('put', '/v1/admin/config/max_batch_items').send({ value })
          await service.process.kill()
          expect(answer.status).to.equal(200)
          service = await startProcess(home)
          service.adminKey = adminKey
          const settings = (await service.call('get', '/v1/admin/config')).body as { key: string; value: string }[]
          expect(settings.find(({ key }) => key === 'max_batch_items')?.value).to.equal(value)
          const entries = (await service.call('get', '/v1/audit?entity=config')).body as { after: { value: string } }[]
          expect(entries.map(({ after }) => after.value)).to.deep.equal(Array.from({ length: round }, (_, index) => String(round - index)))
        }
      } finally {
        await service.process.terminate()
        await home.remove()
      }
    })
  })
})
