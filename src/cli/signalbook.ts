#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { ConfigError } from '../config.ts'
import { SignalbookError } from '../error.ts'
import { driverCode } from '../store/dialect.ts'
import { createKeyCommand } from './create-key.ts'
import { startCommand } from './start.ts'

const USAGE = `signalbook: a registry of event specs and a durable relay

  signalbook start                                     run the service
  signalbook keys create --role ROLE [--name NAME] [--expires-in 90d]
                                                       create an API key on this machine, also when all keys are lost
  signalbook help

The environment configures both; README "Configuration" lists the variables.`

/** Finds the command and runs it. @returns the exit code */
async function run(argv: string[]): Promise<number> {
  const { positionals, values } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: { role: { type: 'string' }, name: { type: 'string' }, 'expires-in': { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  const command = positionals.join(' ')
  if (values.help || command === 'help' || command === '') {
    console.log(USAGE)
    return 0
  }
  if (command === 'start') return startCommand(process.env)
  if (command === 'keys create') return createKeyCommand(process.env, { role: values.role, name: values.name, expiresIn: values['expires-in'] })
  console.error(`signalbook: there is no command "${command}"\n\n${USAGE}`)
  return 2
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  // What a person can mend is said in a sentence; anything else keeps its stack.
  const expected = error instanceof ConfigError || error instanceof SignalbookError || driverCode(error) !== undefined
  console.error(expected && error instanceof Error ? `signalbook: ${error.message}` : error)
  process.exitCode = expected ? 2 : 1
}
