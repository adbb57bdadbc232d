import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'
import './tabs.css'

type Tab<Name extends string> = { readonly name: Name; readonly label: ReactNode; readonly content: ReactNode }

type TabsProps<Name extends string> = {
  readonly label: string
  readonly tabs: readonly Tab<Name>[]
  readonly shown: Name
  readonly onShow: (name: Name) => void
}

/** Views of one thing, one at a time. The arrow keys move between them. */
export function Tabs<Name extends string>({ label, tabs, shown, onShow }: TabsProps<Name>): ReactNode {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const place = (tabs.findIndex(({ name }) => name === shown) + step + tabs.length) % tabs.length
    const next = tabs[place]
    if (next !== undefined) onShow(next.name)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[place]?.focus()
  }
  return (
    <>
      <div className="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`${id}-${tab.name}`}
            aria-selected={tab.name === shown}
            aria-controls={`${id}-panel`}
            tabIndex={tab.name === shown ? 0 : -1}
            onClick={() => onShow(tab.name)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${shown}`}>
        {tabs.find(({ name }) => name === shown)?.content}
      </div>
    </>
  )
}
