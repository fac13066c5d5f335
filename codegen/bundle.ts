import SwaggerParser from '@apidevtools/swagger-parser'
import { dirname, resolve } from 'node:path'
import type { JsonObject, OpenApiDocument } from './document-types.ts'

/**
 * Reads the contract from its files and makes one self-contained document of it.
 *
 * A `$ref` to a file that `components` of the root lists becomes a `$ref` to that component, so that every shape keeps
 * its name in generated SDKs; the other files (paths) are put in place. The bundle of swagger-parser itself names shared
 * shapes by the place where it met them first, such as `#/paths/~1v1~1track/post/requestBody`.
 * @throws Error naming the file or the pointer when the result is no valid OpenAPI document
 */
export async function bundle(rootFile: string): Promise<OpenApiDocument> {
  const parser = new SwaggerParser()
  const files = await parser.resolve(rootFile)
  const root = files.get(rootFile) as JsonObject
  const componentOf = componentsByTarget(root, rootFile)

  const rewrite = (node: unknown, file: string, atComponent: boolean): unknown => {
    if (Array.isArray(node)) return node.map((item) => rewrite(item, file, false))
    if (typeof node !== 'object' || node === null) return node
    const ref = (node as JsonObject)['$ref']
    if (typeof ref === 'string') {
      const target = absolute(ref, file)
      const component = componentOf.get(target)
      if (component && !atComponent) return { $ref: component }
      return rewrite(files.get(target), target.split('#')[0] as string, false)
    }
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, rewriteEntry(key, value, file)]))
  }
  // The mapping of a discriminator holds references that are plain strings.
  const rewriteEntry = (key: string, value: unknown, file: string): unknown => {
    if (key !== 'mapping' || typeof value !== 'object' || value === null) return rewrite(value, file, false)
    return Object.fromEntries(
      Object.entries(value as Record<string, string>).map(([name, ref]) => [name, componentOf.get(absolute(ref, file)) ?? ref]),
    )
  }

  const { components, ...rest } = root
  const document = rewrite(rest, rootFile, false) as OpenApiDocument
  document.components = Object.fromEntries(
    Object.entries(components as Record<string, JsonObject>).map(([section, entries]) => [
      section,
      Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, rewrite(entry, rootFile, true)])),
    ]),
  ) as OpenApiDocument['components']
  await SwaggerParser.validate(structuredClone(document) as never)
  return document
}

/** Absolute file and fragment of each listed component → its place in the bundled document. */
function componentsByTarget(root: JsonObject, rootFile: string): Map<string, string> {
  const places = new Map<string, string>()
  for (const [section, entries] of Object.entries(root['components'] as Record<string, JsonObject>)) {
    for (const [name, entry] of Object.entries(entries)) {
      const place = `#/components/${section}/${name}`
      const ref = (entry as JsonObject)['$ref']
      if (typeof ref === 'string') places.set(absolute(ref, rootFile), place)
      places.set(`${rootFile}${place}`, place)
    }
  }
  return places
}

function absolute(ref: string, fromFile: string): string {
  const [file, fragment] = ref.split('#') as [string, string | undefined]
  const path = file === '' ? fromFile : resolve(dirname(fromFile), file)
  return fragment === undefined || fragment === '' ? path : `${path}#${fragment}`
}
