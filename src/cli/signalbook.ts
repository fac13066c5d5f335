#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { ConfigError } from '../config.ts'
import { SignalbookError } from '../error.ts'
import { driverCode } from '../store/dialect.ts'
import { UnreadableSecretError } from '../store/secret-cipher.ts'
import { backupCommand } from './backup.ts'
import { createKeyCommand } from './create-key.ts'
import { migrateCommand } from './migrate.ts'
import { rotateSecretsCommand } from './rotate-secrets.ts'
import { startCommand } from './start.ts'

const USAGE = `signalbook: a registry of event specs and a durable relay

  signalbook start                                     run the service
  signalbook keys create --role ROLE [--name NAME] [--expires-in 90d]
                                                       create an API key on this machine, also when all keys are lost
  signalbook migrate                                   bring the database up to this release, as start does, and exit
  signalbook backup FILE                               copy an SQLite database, also while the service runs; its log goes beside FILE
  signalbook secrets rotate                            encrypt all stored secrets with the first key of ENCRYPTION_KEY
  signalbook help

The environment configures them all; README "Configuration" lists the variables.`

/** Finds the command and runs it. @returns the exit code */
async function run(argv: string[]): Promise<number> {
  const { positionals, values } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: { role: { type: 'string' }, name: { type: 'string' }, 'expires-in': { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  const [command, operand] = positionals[0] === 'backup' && positionals.length <= 2 ? positionals : [positionals.join(' ')]
  if (values.help || command === 'help' || command === '') {
    console.log(USAGE)
    return 0
  }
  if (command === 'start') return startCommand(process.env)
  if (command === 'keys create') return createKeyCommand(process.env, { role: values.role, name: values.name, expiresIn: values['expires-in'] })
  if (command === 'migrate') return migrateCommand(process.env)
  if (command === 'backup') return backupCommand(process.env, operand)
  if (command === 'secrets rotate') return rotateSecretsCommand(process.env)
  console.error(`signalbook: there is no command "${command}"\n\n${USAGE}`)
  return 2
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  // What a person can mend is said in a sentence; anything else keeps its stack.
  const expected = error instanceof ConfigError || error instanceof SignalbookError || error instanceof UnreadableSecretError || driverCode(error) !== undefined
  console.error(expected && error instanceof Error ? `signalbook: ${error.message}` : error)
  process.exitCode = expected ? 2 : 1
}
