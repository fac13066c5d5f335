import { expect } from 'chai'
import { fuzz } from '../../scripts/contract/fuzz/fuzz.ts'
import type { FuzzReport } from '../../scripts/contract/fuzz/fuzz.ts'
import { fetchPublished } from '../../scripts/contract/fuzz/published.ts'
import { startFuzzedService } from '../../scripts/contract/fuzz/service.ts'
import { onEachEngine } from '../support/database.ts'

// A few hundred generated requests; the long form is `npm run contract`.
const COUNT = 400
const SEED = 20_261_121

onEachEngine((engine) => {
  describe('generated and hostile requests to every operation', () => {
    let report: FuzzReport
    let operations = 0

    before(async function () {
      this.timeout(180_000)
      const service = await startFuzzedService(engine)
      try {
        operations = (await fetchPublished(service.url)).operations.length
        report = await fuzz(service, { count: COUNT, seed: SEED })
      } finally {
        await service.close()
      }
    })

    it('are answered as the contract says, without a 5xx and without showing the inside', () => {
      expect(report.differences).to.deep.equal([])
      expect(report.requests).to.be.greaterThan(COUNT + 20 * operations)
    })

    it('reach the inside of most operations', () => {
      expect(report.neverSucceeded.length, report.neverSucceeded.join(', ')).to.be.lessThan(operations / 3)
    })

    it('leave the service answering for its health within a second', () => {
      expect(report.slowestHealthMs).to.be.lessThan(1000)
    })

    it('leave its memory within 150 MB of where it began', function () {
      if (report.memoryGrowthMb === undefined) this.skip()
      expect(report.memoryGrowthMb).to.be.lessThan(150)
    })
  })
})
