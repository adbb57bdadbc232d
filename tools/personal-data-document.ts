import { columns, type Erased } from '../server/src/privacy/columns.ts'

const outcomes: Readonly<Record<Erased, string>> = {
  deleted: 'the row is deleted',
  replaced: 'replaced by `[erased]` or an id',
  emptied: 'emptied',
  words: 'the address is replaced, and personal values in JSON',
}

/** Where personal data is stored, from the classification of all columns. */
export function buildPersonalDataDocument(): string {
  const all = Object.entries(columns)
  const personal = all.flatMap(([table, of]) =>
    Object.entries(of.personal ?? {}).map(([name, outcome]) => `| \`${table}.${name}\` | ${outcomes[outcome]} |`),
  )
  const kept = all.flatMap(([table, of]) =>
    Object.entries(of.kept ?? {}).map(([name, reason]) => `| \`${table}.${name}\` | ${reason} |`),
  )
  const pseudonyms = all.flatMap(([table, of]) =>
    (of.pseudonyms ?? '').split(' ').flatMap((name) => (name === '' ? [] : [`- \`${table}.${name}\``])),
  )
  return `# Personal data

Written by \`npm run generate\` from \`server/src/privacy/columns.ts\`, which classifies every column of every table. A test compares it
with a migrated database. [Privacy](../operate/privacy.md) explains export, erasure and retention.

## Personal data

| column | after an erasure |
|---|---|
${personal.join('\n')}

## Kept, with the reason

| column | reason |
|---|---|
${kept.join('\n')}

## Ids of people

After an erasure nothing leads from them to a person.

${pseudonyms.join('\n')}
`
}
