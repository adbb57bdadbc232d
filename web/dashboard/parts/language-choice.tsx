import type { ReactNode } from 'react'
import { Choice } from '../../ui/choice.tsx'
import { chooseLanguage, type Language, readLanguage } from '../../ui/locale.ts'
import { words } from '../words/words.ts'

type LanguageChoiceProps = {
  /** Saves the language with the server. Missing while nobody is signed in. */
  readonly onChoose?: ((language: Language) => Promise<void>) | undefined
}

/** Reloads the page in the chosen language, even if the server could not save it. */
export function LanguageChoice({ onChoose }: LanguageChoiceProps): ReactNode {
  const choose = async (language: Language): Promise<void> => {
    await onChoose?.(language)
    chooseLanguage(language)
  }
  return (
    <Choice
      label={words.account.language}
      value={readLanguage()}
      onChange={(event) => void choose(event.target.value as Language)}
      options={[
        ['en', 'English'],
        ['fr', 'Français'],
      ]}
    />
  )
}
