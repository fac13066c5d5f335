import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Generator } from './generators/generator.ts'
import type { Connect } from './sdk.ts'

const HERE = import.meta.dirname
const PACKAGES = resolve(HERE, '../../node_modules')
const OUTPUT = 'compiled'

/** As strict as a careful user's; the generated code and all that it imports are checked as well. */
const TSCONFIG = {
  compilerOptions: { strict: true, skipLibCheck: false, target: 'es2023', lib: ['es2023', 'dom', 'dom.iterable'], types: [], module: 'nodenext', moduleResolution: 'nodenext', outDir: OUTPUT, rootDir: '.' },
  include: ['*/client.ts', '*/sdk'],
}

/** A directory in which SDKs are made, compiled and loaded. */
export interface Workshop {
  /** Makes an SDK from the document. @throws Error with the generator's own words */
  generate: (generator: Generator) => Promise<void>
  /** Compiles everything that was generated, with its clients. @returns the compiler's complaints by generator */
  compile: () => Promise<Map<string, string[]>>
  /** Loads the compiled client of a generator. */
  load: (generator: Generator) => Promise<Connect>
  remove: () => Promise<void>
}

/** Opens a workshop for a published document, in a temporary directory that sees our packages. */
export async function openWorkshop(document: string): Promise<Workshop> {
  const root = await mkdtemp(join(tmpdir(), 'signalbook-contract-'))
  await symlink(PACKAGES, join(root, 'node_modules'), 'junction')
  await writeFile(join(root, 'package.json'), '{"type":"commonjs"}')
  await writeFile(join(root, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  await cp(join(HERE, 'sdk.ts'), join(root, 'sdk.ts'))

  return {
    async generate({ client, beside = {}, files = {}, command: [tool = '', ...args] }) {
      const place = join(root, placeOf(client))
      await mkdir(join(place, 'sdk'), { recursive: true })
      await writeFile(join(place, 'openapi.json'), document)
      for (const [name, text] of Object.entries(files)) await writeFile(join(place, name), text)
      for (const [from, to] of Object.entries({ [client]: 'client.ts', ...beside })) await cp(join(HERE, 'clients', from), join(place, to))
      const { code, output } = await run(tool, args, place)
      if (code !== 0) throw new Error(`${tool} ended with code ${code}:\n${output}`)
      await exposeToCompiler(join(place, 'sdk'))
    },

    async compile() {
      const { output } = await run('tsc', ['--project', '.', '--pretty', 'false'], root)
      const complaints = new Map<string, string[]>()
      for (const line of output.split('\n').filter((text) => / error TS\d+: |^error TS/.test(text))) {
        const place = line.split('/')[0] as string
        complaints.set(place, [...(complaints.get(place) ?? []), line])
      }
      return complaints
    },

    async load({ client }) {
      const module = (await import(pathToFileURL(join(root, OUTPUT, placeOf(client), 'client.js')).href)) as { connect: Connect }
      return module.connect
    },

    remove: () => rm(root, { recursive: true, force: true }),
  }
}

/** The directory of a generator inside the workshop. */
export function placeOf(client: string): string {
  return client.replace('.ts', '')
}

/** Takes away the comment with which a generator hides its file from the compiler. */
async function exposeToCompiler(directory: string): Promise<void> {
  for (const file of await readdir(directory, { recursive: true })) {
    if (!file.endsWith('.ts')) continue
    const text = await readFile(join(directory, file), 'utf8')
    if (text.includes('@ts-nocheck')) await writeFile(join(directory, file), text.replaceAll('@ts-nocheck', ''))
  }
}

function run(tool: string, args: string[], cwd: string): Promise<{ code: number; output: string }> {
  const env = { ...process.env, PATH: `${join(PACKAGES, '.bin')}:${process.env['PATH']}`, NO_COLOR: '1' }
  return new Promise((done) => {
    execFile(tool, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}${stderr}` })
    })
  })
}
