type Logos = {
  readonly isCurrent: (code: string, version: string) => Promise<boolean>
  readonly read: (code: string, version: string) => Promise<Buffer | undefined>
}

const bytesMax = 16 * 1024 * 1024

/** Keeps logos in memory, so that visitors do not read the same image from the database again and again. A removed one is gone at once. */
export function cacheLogos({ isCurrent, read }: Logos): Logos['read'] {
  const images = new Map<string, Buffer>()
  let bytes = 0
  return async (code, version) => {
    const name = `${code}/${version}`
    const known = images.get(name)
    if (known !== undefined) return (await isCurrent(code, version)) ? known : undefined
    const image = await read(code, version)
    if (image === undefined || images.has(name)) return image
    if (bytes + image.length > bytesMax) {
      images.clear()
      bytes = 0
    }
    images.set(name, image)
    bytes += image.length
    return image
  }
}
