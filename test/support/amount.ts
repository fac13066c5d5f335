/** How much of something a test of a promise does: few in the suite, the whole of it when the environment says so, as `npm run soak` does. */
export function amount(name: string, inTheSuite: number): number {
  return Number(process.env[name] ?? inTheSuite)
}
