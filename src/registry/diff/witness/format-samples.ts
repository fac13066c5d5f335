import { own } from '../own.ts'

/** Values of each format that the service checks; what fits none of them is refused by all. */
const SAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  date: ['2024-02-29', '1999-12-31'],
  time: ['12:30:00Z', '23:59:59+02:00'],
  'date-time': ['2024-02-29T12:30:00Z', '2024-02-29T12:30:00.123+02:00'],
  'iso-time': ['12:30:00', '12:30:00Z'],
  'iso-date-time': ['2024-02-29T12:30:00', '2024-02-29T12:30:00Z'],
  duration: ['P1D', 'PT5M'],
  uri: ['https://example.com/a', 'urn:isbn:0451450523'],
  'uri-reference': ['/a', 'https://example.com/a'],
  'uri-template': ['https://example.com/{a}', '/a'],
  url: ['https://example.com/a', 'http://example.com'],
  email: ['a@example.com', 'first.last@example.org'],
  hostname: ['example.com', 'a.example'],
  ipv4: ['192.0.2.1', '10.0.0.1'],
  ipv6: ['2001:db8::1', '::1'],
  regex: ['^a+$', 'a'],
  uuid: ['123e4567-e89b-12d3-a456-426614174000', 'ffffffff-ffff-4fff-8fff-ffffffffffff'],
  'json-pointer': ['/a/b', ''],
  'json-pointer-uri-fragment': ['#/a/b', '#'],
  'relative-json-pointer': ['0', '1/a'],
  byte: ['YQ==', 'YWJj'],
  int32: [1, 2147483647],
  int64: [1, 9007199254740991],
  float: [1.5],
  double: [1.5],
  password: ['secret'],
  binary: ['a'],
}

export function samplesOfFormat(format: unknown): readonly unknown[] {
  return own(SAMPLES, String(format)) ?? []
}

/** Values that most formats refuse. */
export const UNFORMATTED: readonly unknown[] = ['no such format', '((', '{', '%', '-', 3_000_000_000, 1e300, 0.5]
