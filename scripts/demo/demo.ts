import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { startService } from '../../src/main.ts'
import { startReceiver } from './receiver.ts'
import { bodyOf, stepsOf } from './steps.ts'
import type { Step } from './steps.ts'

// What a person reads: the calls, their answers, and at the end what the receiver got.
const SHOWN_ANSWER = 900

async function run(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'signalbook-demo-'))
  const receiver = await startReceiver()
  const service = await startService(readConfig({ DATABASE_URL: `sqlite:${join(directory, 'signalbook.db')}`, PORT: '0', LOG_LEVEL: 'warn' }))
  try {
    let key = ''
    for (const [index, step] of stepsOf(receiver.url).entries()) {
      console.log(`\n${index + 1}. ${step.title}`)
      const answer = await perform(service.url, key, step)
      if (index === 0) key = (answer as { key: string }).key
    }
    await receiver.waitFor('/events', 7)
    await receiver.waitFor('/hooks', 1)
    console.log('\nWhat arrived at the destination:')
    for (const { body } of receiver.received.filter(({ path }) => path === '/events')) {
      console.log(`  ${String(body['type']).padEnd(8)} ${JSON.stringify(body['event_name'] ?? body['name'] ?? body['group_id'] ?? body['user_id'])} message_id ${String(body['message_id'])}`)
    }
    console.log('What arrived at the webhook:')
    for (const { body } of receiver.received.filter(({ path }) => path === '/hooks')) {
      const event = body['event'] as { namespace: string; name: string; version: string }
      console.log(`  ${String(body['type'])} ${event.namespace}/${event.name} ${event.version}`)
    }
  } finally {
    await service.stop()
    await receiver.close()
    await rm(directory, { recursive: true, force: true })
  }
}

async function perform(base: string, key: string, step: Step): Promise<unknown> {
  const body = await bodyOf(step)
  const headers: Record<string, string> = {
    ...(step.withoutKey ? {} : { Authorization: `Bearer ${key}` }),
    ...(body ? { 'Content-Type': body.type } : {}),
  }
  const shownHeaders = Object.entries(headers).map(([name, value]) => `-H '${name}: ${name === 'Authorization' ? 'Bearer $KEY' : value}'`)
  console.log(`   curl -s ${step.method === 'GET' ? '' : `-X ${step.method} `}"${base}${step.path}" ${[...shownHeaders, ...(body ? [body.shown] : [])].join(' ')}`)
  const response = await fetch(base + step.path, { method: step.method, headers, ...(body ? { body: body.text } : {}) })
  const text = await response.text()
  console.log(`   → ${response.status} ${text.length > SHOWN_ANSWER ? text.slice(0, SHOWN_ANSWER) + ' …' : text}`)
  if (response.status !== step.expected) throw new Error(`expected ${step.expected}, got ${response.status}`)
  return JSON.parse(text)
}

await run()
