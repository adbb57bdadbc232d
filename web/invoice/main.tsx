import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../ui/base.css'
import { InvoicePage } from './invoice-page.tsx'

const place = document.getElementById('page')
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <InvoicePage />
    </StrictMode>,
  )
