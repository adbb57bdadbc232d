// What we use of two packages without types.
declare module 'subset-font' {
  type Options = {
    readonly targetFormat: 'sfnt'
    readonly preserveNameIds: readonly number[]
    readonly keepFeatures: readonly string[]
    readonly noHinting: boolean
    readonly variationAxes?: Readonly<Record<string, { readonly min: number; readonly max: number }>>
  }
  export default function subsetFont(font: Buffer, characters: string, options: Options): Promise<Buffer>
}

declare module 'fontverter' {
  export function convert(font: Buffer, format: 'sfnt' | 'woff2'): Promise<Buffer>
}
