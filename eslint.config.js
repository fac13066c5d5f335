import tseslint from 'typescript-eslint'

const FOUNDATION = ['error', 'time', 'duration', 'plain-json', 'settings']

/** Which rooms of src/ a room may import from, beside itself and the foundation files. README "Where to look" draws the same map. */
const MAY_IMPORT = {
  contract: [],
  store: ['contract', 'registry/event-spec'],
  destinations: ['contract'],
  outgoing: [],
  metrics: [],
  registry: ['contract', 'store'],
  admin: ['contract', 'store', 'registry'],
  webhooks: ['contract', 'store', 'registry/event-spec', 'registry/glob'],
  snapshot: ['contract', 'store', 'registry'],
  relay: ['contract', 'store', 'destinations', 'snapshot', 'outgoing', 'registry/event-spec', 'registry/violation'],
  http: ['contract', 'registry', 'admin', 'webhooks', 'relay', 'snapshot', 'store'],
}
const ROOMS = Object.keys(MAY_IMPORT)

/** @param depth `room` for the files of the room itself, `folders` for those of its folders, to whom `../` is still the room */
function doorsOf(room, depth) {
  const closed = ROOMS.filter((other) => other !== room && !MAY_IMPORT[room].includes(other))
  return {
    files: [depth === 'room' ? `src/${room}/*.ts` : `src/${room}/*/**/*.ts`],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            ...closed.map((other) => ({
              group: [`**/${other}/**`, ...(depth === 'folders' ? [`!../${other}/**`] : []), ...MAY_IMPORT[room].filter((open) => open.startsWith(`${other}/`)).map((open) => `!**/${open}.ts`)],
              message: `${room}/ may not import from ${other}/; it may use ${[...MAY_IMPORT[room], ...FOUNDATION].join(', ')}. Pass what it needs in through its deps.`,
            })),
            { regex: '^(\\.\\./)+(main|config)\\.ts$', message: 'Only main.ts puts the parts together; take what you need through deps.' },
          ],
        },
      ],
    },
  }
}

export default tseslint.config(
  { ignores: ['node_modules', 'dist', 'src/contract', 'scripts/contract/clients'] },
  ...tseslint.configs.recommendedTypeChecked,
  { languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } } },
  {
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      // Interfaces of ours are asynchronous where one implementation happens not to wait.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      // A leading underscore says that a name is only there to be left out.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Export by name, so that one thing has one name everywhere.' },
        { selector: 'ExportAllDeclaration', message: 'No barrels: import from the file that holds the thing.' },
      ],
      'no-restricted-globals': ['error', { name: 'fetch', message: 'Only src/outgoing opens outgoing connections; use its send.' }],
      eqeqeq: 'error',
      'no-empty': ['error', { allowEmptyCatch: false }],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/config.ts', 'src/cli/**'],
    rules: {
      'no-restricted-properties': ['error', { object: 'process', property: 'env', message: 'Only config.ts reads the environment; take the value from Config.' }],
      'no-console': 'error',
    },
  },
  ...ROOMS.flatMap((room) => [doorsOf(room, 'room'), doorsOf(room, 'folders')]),
  {
    files: ['test/**/*.ts', 'scripts/**/*.ts', 'eslint.config.js'],
    rules: {
      'no-restricted-syntax': 'off',
      'no-restricted-globals': 'off',
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  { files: ['eslint.config.js'], ...tseslint.configs.disableTypeChecked },
)
