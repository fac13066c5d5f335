import document from '../contract/document.json' with { type: 'json' }

type Components = Record<string, Record<string, unknown>>

/** The contract of one path: the document with this path alone, and the components that it refers to. */
export function pathDocument(path: string): object {
  const item = (document.paths as Record<string, unknown>)[path]
  const all = document.components as unknown as Components
  const components: Components = { securitySchemes: all['securitySchemes'] ?? {} }
  const pending: unknown[] = [item]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const [, kind = '', name = ''] of JSON.stringify(next).matchAll(/"#\/components\/(\w+)\/([\w.-]+)"/g)) {
      const named = (components[kind] ??= {})
      if (name in named) continue
      named[name] = all[kind]?.[name]
      pending.push(named[name])
    }
  }
  const { openapi, info, servers } = document
  return { openapi, info, servers, paths: { [path]: item }, components }
}
