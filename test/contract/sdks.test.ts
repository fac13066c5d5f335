import { expect } from 'chai'
import { GENERATORS } from '../../scripts/contract/generators/all.ts'
import { trySdks } from '../../scripts/contract/try-sdks.ts'
import type { SdkTrial } from '../../scripts/contract/try-sdks.ts'

describe('SDKs generated from the published document', () => {
  let trials: SdkTrial[] = []

  before(async function () {
    // Five generators, one strict compilation and six starts of the service.
    this.timeout(180_000)
    trials = await trySdks(GENERATORS)
  })

  for (const { name } of GENERATORS) {
    it(`compile under strict rules and do the journey with ${name}`, () => {
      expect(trials.find((trial) => trial.name === name)?.faults).to.deep.equal([])
    })
  }
})
