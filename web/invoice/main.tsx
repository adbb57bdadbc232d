import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../ui/base.css'
import { readLanguage } from '../ui/locale.ts'
import { InvoicePage } from './invoice-page.tsx'
import { words } from './words.ts'

document.documentElement.lang = readLanguage()
document.title = words.name

const place = document.getElementById('page')
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <InvoicePage />
    </StrictMode>,
  )
