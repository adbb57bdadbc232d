export type Site = {
  readonly platformName: string
  /** The demo shop of `npm run dev`, which is in test mode. */
  readonly demo: { readonly publicKey: string; readonly merchantCode: string } | null
}

/** What runs at this address. Without a response the page is still of use, so nothing is reported. */
export async function fetchSite(): Promise<Site> {
  try {
    const response = await fetch('/site.json', { signal: AbortSignal.timeout(15_000) })
    if (response.ok) return (await response.json()) as Site
  } catch {
    // Offline: the links are the same for every installation.
  }
  return { platformName: 'Scrip', demo: null }
}
