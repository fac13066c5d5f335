import { invalid } from '../error.ts'

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

/** Refuses a name that could not stand in a path. @throws SignalbookError `invalid_request` naming `what` */
export function assertName(name: string, what: string): void {
  if (!NAME.test(name)) {
    throw invalid(`${what} must be 1 to 100 characters of A-Z, a-z, 0-9, ".", "_" and "-", beginning with a letter or digit; got "${name.slice(0, 120)}"`)
  }
}
