/** Where the generated functions send to, and with which key. */
export const target: { baseUrl: string; key: string | undefined } = { baseUrl: '', key: undefined }

/** The "mutator" that every generated function calls instead of `fetch`. */
export async function send<T>(path: string, init: RequestInit): Promise<T> {
  const headers = new Headers(init.headers)
  if (target.key !== undefined) headers.set('Authorization', `Bearer ${target.key}`)
  const answer = await fetch(target.baseUrl + path, { ...init, headers })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, data: text === '' ? undefined : JSON.parse(text) } as T
}
