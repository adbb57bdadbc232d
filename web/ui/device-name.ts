/** The browser and the system, such as "Firefox, Android". Empty if neither is known. */
export function nameDevice(userAgent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)/.exec(userAgent)?.[1] ?? ''
  const system = /(iPhone|iPad|Android|Windows|Mac OS|Linux)/.exec(userAgent)?.[1] ?? ''
  return [{ Edg: 'Edge', OPR: 'Opera' }[browser] ?? browser, system].filter(Boolean).join(', ')
}

export function isPhone(userAgent: string): boolean {
  return /iPhone|Android/.test(userAgent)
}
