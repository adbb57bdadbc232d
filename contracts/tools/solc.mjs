#!/usr/bin/env node
// The compiler of npm as forge wants one: it asks for the version, then hands a JSON description over standard input.
import { readFileSync, writeSync } from 'node:fs'
import solc from 'solc'

function print(text) {
  const bytes = Buffer.from(text)
  // A pipe takes 64 KiB at a time, and may be full: what it did not take is offered again.
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at)
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
    }
  }
}

if (process.argv.includes('--version')) print(`solc, the solidity compiler\nVersion: ${solc.version()}\n`)
else print(solc.compile(readFileSync(0, 'utf8')))
process.exit(0)
