import { Search } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import {
  Autocomplete,
  Collection,
  Dialog as AriaDialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
} from 'react-aria-components'
import '../../ui/pressable.ts'
import { palette } from '../words/palette.ts'
import { type Entry, listActs, listScreens } from './palette-entries.ts'
import { type Found, useSearch } from './palette-search.ts'
import './palette.css'
import { useShop } from './shop.tsx'

/** Search, screens and acts of the role, by keyboard. */
export function Palette({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { merchant } = useShop()
  const [text, setText] = useState('')
  const found = useSearch(merchant.role, text)
  // What is known at once comes first, so that results do not move it when they arrive.
  const sections = [
    { id: 'acts', entries: listActs(merchant, text) },
    { id: 'screens', entries: listScreens(merchant.role, text) },
    { id: 'found', entries: found.entries },
    { id: 'searches', entries: found.searches },
  ] as const
  const all = sections.flatMap(({ entries }) => entries)
  const choose = (id: unknown) => {
    onClose()
    all.find((entry) => entry.id === id)?.choose()
  }
  return (
    <ModalOverlay className="palette-cover" isOpen isDismissable onOpenChange={(isOpen) => isOpen || onClose()}>
      <Modal>
        <AriaDialog className="palette" aria-label={palette.heading}>
          <Autocomplete inputValue={text} onInputChange={setText}>
            <SearchField className="palette-field" aria-label={palette.field} autoFocus>
              <Search aria-hidden="true" />
              <Input placeholder={palette.field} maxLength={254} />
            </SearchField>
            <div className="palette-list" role="group" aria-label={palette.heading} tabIndex={0}>
              <Menu
                aria-label={palette.heading}
                items={sections.filter(({ entries }) => entries.length > 0)}
                onAction={choose}
                renderEmptyState={() => <Nothing found={found} />}
              >
                {({ id, entries }) => (
                  <MenuSection className="palette-section">
                    <Header>{palette.sections[id]}</Header>
                    <Collection items={entries}>{(entry) => <PaletteItem entry={entry} />}</Collection>
                  </MenuSection>
                )}
              </Menu>
            </div>
          </Autocomplete>
          <p className="palette-help">
            <span role="status">{found.isSearching ? palette.searching : palette.results(all.length)}</span>
            <span aria-hidden="true">{palette.help}</span>
          </p>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

function PaletteItem({ entry: { id, icon: Icon, label, detail } }: { readonly entry: Entry }) {
  return (
    <MenuItem id={id} className="palette-item" textValue={detail === '' ? label : `${label}, ${detail}`}>
      <Icon aria-hidden="true" />
      <span>{label}</span>
      {detail !== '' && <span className="palette-detail">{detail}</span>}
    </MenuItem>
  )
}

function Nothing({ found: { isSearching } }: { readonly found: Found }) {
  return (
    <div className="palette-none">
      <p>{isSearching ? palette.searching : palette.none}</p>
      {!isSearching && <p className="soft">{palette.noneLead}</p>}
    </div>
  )
}
