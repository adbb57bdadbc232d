#!/usr/bin/env node
// The compiler from npm with the interface that forge expects: a version flag, and JSON over standard input.
import { readFileSync, writeSync } from 'node:fs'
import solc from 'solc'

function print(text) {
  const bytes = Buffer.from(text)
  // A pipe takes at most 64 KiB at a time and may be full, so this retries the rest.
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
