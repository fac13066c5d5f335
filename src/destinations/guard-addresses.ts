import type { Provider } from './destination.ts'

/** A provider that also refuses settings which point where the service may not call. @param assertCallable throws for such an address */
export function guardAddresses<P extends Provider>(provider: P, assertCallable: (url: string, name: string) => void): P {
  return {
    ...provider,
    checkConfig(config) {
      const checked = provider.checkConfig(config)
      for (const [key, value] of Object.entries(checked)) {
        if (typeof value === 'string' && /^https?:\/\//i.test(value)) assertCallable(value, `config.${key}`)
      }
      return checked
    },
  }
}
