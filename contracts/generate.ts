// What TypeScript needs of the contracts, from the compiler's output.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type Artifact = { abi: unknown; bytecode: { object: string } }

function artifact(source: string, name: string, out = 'out'): Artifact {
  const path = join(import.meta.dirname, out, `${source}.sol`, `${name}.json`)
  return JSON.parse(readFileSync(path, 'utf8')) as Artifact
}

const head = `// Written by \`npm run contracts -- write\`. Do not edit.\n\n`

/** One entry per line, so that a change of the interface changes few lines. */
function constant(name: string, value: unknown[]): string {
  return `export const ${name} = [\n${value.map((entry) => `  ${JSON.stringify(entry)},\n`).join('')}] as const\n`
}

function table(name: string, codes: Record<string, string>): string {
  const rows = Object.entries(codes).map(([key, code]) => `  ${key}: '${code}',\n`)
  return `export const ${name} = {\n${rows.join('')}} as const\n`
}

/** Paths from the root of the repository, with their contents. */
export function generatedFiles(): Record<string, string> {
  const factory = artifact('IDepositFactory', 'IDepositFactory')
  const broken = artifact('BrokenFactory', 'BrokenFactory')
  const refilling = artifact('TestToken', 'RefillingToken', 'out-paris')
  const tokens = ['TestToken', 'SilentToken', 'TaxedToken', 'BlockingToken']
  return {
    'server/src/chain/deposit-factory.gen.ts': [
      head,
      constant('depositFactoryAbi', factory.abi as unknown[]),
      '\n',
      table('depositFactoryCode', {
        ephemeral: artifact('DepositFactory', 'DepositFactory').bytecode.object,
        lasting: artifact('LastingDepositFactory', 'LastingDepositFactory', 'out-paris').bytecode.object,
      }),
      '\n',
      table('sweeperCode', {
        ephemeral: artifact('DepositFactory', 'Sweeper').bytecode.object,
        lasting: artifact('LastingDepositFactory', 'Deposit', 'out-paris').bytecode.object,
      }),
    ].join(''),
    'server/src/chain/voucher-vault.gen.ts': [
      head,
      constant('voucherVaultAbi', artifact('IVoucherVault', 'IVoucherVault').abi as unknown[]),
      '\n',
      `export const voucherVaultCode = '${artifact('VoucherVault', 'VoucherVault', 'out-paris').bytecode.object}'\n`,
    ].join(''),
    'server/src/chain/balances.gen.ts': [
      head,
      `export const balancesCode = '${artifact('Balances', 'Balances', 'out-paris').bytecode.object}'\n`,
    ].join(''),
    'server/local/parts/test-token.gen.ts': [
      head,
      // The ABI of the token with the most functions. The others have fewer.
      constant('testTokenAbi', artifact('TestToken', 'BlockingToken').abi as unknown[]),
      '\n',
      table(
        'testTokenCode',
        Object.fromEntries(tokens.map((name) => [name, artifact('TestToken', name, 'out-paris').bytecode.object])),
      ),
      '\n',
      constant('refillingTokenAbi', refilling.abi as unknown[]),
      '\n',
      `export const refillingTokenCode = '${refilling.bytecode.object}'\n`,
    ].join(''),
    'contracts/test-contracts.gen.ts': [
      head,
      constant(
        'brokenFactoryAbi',
        (broken.abi as { type: string }[]).filter(({ type }) => type === 'constructor'),
      ),
      '\n',
      table('testContractCode', {
        brokenFactory: broken.bytecode.object,
        brokenVault: artifact('BrokenVault', 'BrokenVault').bytecode.object,
        stipendPayer: artifact('Sick', 'StipendPayer').bytecode.object,
      }),
    ].join(''),
  }
}
