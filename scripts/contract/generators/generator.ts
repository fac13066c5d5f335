/** How an SDK is made with one generator. */
export interface Generator {
  name: string
  /** The client in `../clients` that does the journey with it. */
  client: string
  /** Further files of `../clients`, and under which name they stand beside the client. */
  beside?: Record<string, string>
  /** The command as a user would call it, in the directory that holds `openapi.json`; it writes into the directory `sdk`. */
  command: string[]
  /** Files that the command reads beside the document. */
  files?: Record<string, string>
}
