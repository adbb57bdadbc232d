// Every component in every state, in both themes. Only in development and for the pictures that tests compare.
import type { ReactNode } from 'react'
import { chooseLanguage, type Language, readLanguage } from '../ui/locale.ts'
import { Segmented } from '../ui/segmented.tsx'
import { TestBadge, TestLine } from '../ui/test-mode.tsx'
import './components.css'
import { Controls } from './controls.tsx'
import { Content } from './content.tsx'
import { Tokens } from './tokens.tsx'

const languages: readonly (readonly [Language, string])[] = [
  ['en', 'English'],
  ['fr', 'Français'],
]

export function ComponentsPage(): ReactNode {
  return (
    <div className="components">
      <TestLine />
      <header className="components-line">
        <h1>Components</h1>
        <Segmented label="Language" value={readLanguage()} options={languages} onChoose={chooseLanguage} />
        <TestBadge />
      </header>
      <main className="components-themes">
        {(['light', 'dark'] as const).map((theme) => (
          <div key={theme} className={`components-theme always-${theme}`} data-shown={theme}>
            <Tokens />
            <Controls />
            <Content />
          </div>
        ))}
      </main>
    </div>
  )
}
