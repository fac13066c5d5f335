import { expect } from 'chai'
import { amount } from '../support/amount.ts'
import { onEachEngine } from '../support/database.ts'
import { killUnderLoad } from '../support/kill-under-load.ts'

const KILLS = amount('R1_KILLS', 20, 100)

onEachEngine((engine) => {
  describe('kill -9 during load', function () {
    this.timeout(90_000 + KILLS * 10_000)

    it(`loses no acknowledged event over ${KILLS} kills, and repeats events under their own message_id only`, async () => {
      const report = await killUnderLoad(engine, KILLS)
      expect(report.lost, `of ${report.acknowledged} acknowledged events`).to.deep.equal([])
      expect(report.invented).to.deep.equal([])
      expect(report.acknowledged, 'the load itself').to.be.greaterThan(KILLS * 10)
    })
  })
})
