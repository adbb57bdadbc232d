import type { ReactNode } from 'react'
import { parseAccent } from '../../../server/src/base/accent.ts'
import { Field } from '../../ui/field.tsx'
import { words } from '../words/words.ts'

const presets = Object.entries(words.brand.presetNames)

type BrandAccentProps = {
  readonly accent: string
  readonly error: string
  readonly onChoose: (accent: string) => void
}

/** A colour to type, to pick, or to choose from a few. */
export function BrandAccent({ accent, error, onChoose }: BrandAccentProps): ReactNode {
  const colour = parseAccent(accent.trim())
  return (
    <>
      <div className="brand-accent">
        <Field
          label={words.brand.accent}
          hint={words.brand.accentHint}
          error={error}
          face="code"
          maxLength={7}
          autoComplete="off"
          spellCheck={false}
          value={accent}
          onChange={(event) => onChoose(event.target.value)}
        />
        <label className="brand-pick">
          <span className="field-label">{words.brand.pick}</span>
          {/* The browser's own field shows black for a text that is no colour. */}
          <input type="color" value={colour ?? '#17563a'} onChange={(event) => onChoose(event.target.value)} />
        </label>
      </div>
      <div className="brand-presets" role="group" aria-label={words.brand.presets}>
        {presets.map(([preset, name]) => (
          <button
            key={preset}
            type="button"
            title={name}
            aria-label={name}
            aria-pressed={colour === preset}
            style={{ background: preset }}
            onClick={() => onChoose(preset)}
          />
        ))}
      </div>
    </>
  )
}
