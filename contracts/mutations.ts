// `npm run contracts -- mutations`: plants one fault at a time in the vault, and fails if its tests do not find each of them.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type Mutation = readonly [name: string, text: string, replacement: string, file?: string]

const vault = 'src/VoucherVault.sol'
const asset = 'src/Asset.sol'
const record = 'src/VoucherRecord.sol'
const files = [
  vault,
  asset,
  record,
  'src/IVoucherVault.sol',
  'test/Test.sol',
  'test/VaultKit.sol',
  'test/VoucherVault.t.sol',
  'test/Hostile.sol',
  'test/HostileVault.t.sol',
  'test/local/TestToken.sol',
  'foundry.toml',
]

const mutations: readonly Mutation[] = [
  ['a nonce can be used again', 'record.terms = terms + VoucherRecord.NONCE_ONE;', ''],
  ['any nonce is accepted', 'if (redemption.nonce != terms.nonceOf()) revert NonceMismatch();', ''],
  ['the balance does not fall', 'record.funds = funds;', ''],
  ['liabilities do not fall', '(state - total, funds - total)', '(state, funds - total)'],
  ['the fee is not deducted', 'uint256(redemption.amount) + redemption.fee', 'uint256(redemption.amount)'],
  ['a redemption may exceed the balance', 'if (total > funds.balanceOf()) revert BalanceTooLow();', ''],
  ['the balance cannot be used up', 'if (total > funds.balanceOf())', 'if (total >= funds.balanceOf())'],
  ['value counts as balance', 'if (total > funds.balanceOf()) revert', 'if (total > (funds >> 128)) revert'],
  ['the fee goes to the recipient', '_send(redemption.feeRecipient', '_send(redemption.recipient'],
  ['the fee goes to the relayer', '_send(redemption.feeRecipient', '_send(msg.sender'],
  ['the recipient is the relayer', '_send(redemption.recipient', '_send(msg.sender'],
  [
    'a redemption does not guard against re-entrancy',
    'record.funds = funds;\n        _state = state | BUSY;',
    'record.funds = funds;\n        _state = state;',
  ],
  [
    'closing does not guard against re-entrancy',
    'state -= balance;\n        _state = state | BUSY;',
    'state -= balance;\n        _state = state;',
  ],
  ['creating does not guard against re-entrancy', '            _state = state | BUSY;', '            _state = state;'],
  ['skimming does not guard against re-entrancy', '_state = state | BUSY;\n        emit Skimmed', 'emit Skimmed'],
  ['the guard is not asked', 'if (state & BUSY != 0) revert Reentered();', ''],
  [
    'the guard is not released',
    'if (redemption.fee != 0) _send(redemption.feeRecipient, redemption.fee);\n        _state = state;',
    'if (redemption.fee != 0) _send(redemption.feeRecipient, redemption.fee);',
  ],
  ['a pause blocks nothing', 'if (state & PAUSED != 0) revert VaultPaused();', ''],
  [
    'a pause blocks closing',
    'function close(bytes32 codeHash) external {\n        uint256 state = _requireIdle();',
    'function close(bytes32 codeHash) external {\n        uint256 state = _requireActive();',
  ],
  ['anyone may revoke', '!= 0 && msg.sender == creator;', '!= 0;'],
  ['every voucher is revocable', 'terms & VoucherRecord.REVOCABLE != 0 && msg.sender', 'msg.sender'],
  [
    'a voucher can be closed a second early',
    'block.timestamp <= terms.expiryOf()',
    'block.timestamp < terms.expiryOf()',
  ],
  ['closing pays the caller', '_send(creator, balance);', '_send(msg.sender, balance);'],
  ['closing leaves the balance', 'record.funds = 0;', ''],
  ['closing frees the hash', 'record.funds = 0;', '(record.funds, record.terms) = (0, 0);'],
  ['closing leaves liabilities', 'state -= balance;', ''],
  ['an empty voucher can be closed', 'if (balance == 0) revert BalanceTooLow();', ''],
  ['a voucher can be overwritten', 'if (record.terms != 0) revert VoucherExists();', ''],
  [
    'a hash can be squatted',
    'codeHash = _hashCode(msg.sender, claimKey);',
    'codeHash = _hashCode(address(1), claimKey);',
  ],
  ['the creator is not in the hash', 'abi.encode(creator, claimKey)', 'abi.encode(claimKey)'],
  ['the zero key is accepted', 'if (claimKey == address(0)) revert ClaimKeyMissing();', ''],
  ['an empty voucher is accepted', 'if (amount == 0) revert AmountMissing();', ''],
  ['the expiry may be past', 'expiry <= block.timestamp || ', ''],
  ['the expiry may be now', 'expiry <= block.timestamp || ', 'expiry < block.timestamp || '],
  ['the expiry has no limit', ' || expiry > block.timestamp + VALIDITY_MAX', ''],
  ['the expiry may be a day later', '= 3_653 days', '= 3_654 days'],
  ['an expired voucher is redeemed', 'if (block.timestamp > terms.expiryOf()) revert VoucherExpired();', ''],
  ['the last second is lost', 'if (block.timestamp > terms.expiryOf())', 'if (block.timestamp >= terms.expiryOf())'],
  ['a deadline is ignored', 'if (block.timestamp > redemption.deadline) revert DeadlinePassed();', ''],
  ['a redemption of nothing is accepted', 'if (redemption.amount == 0) revert AmountMissing();', ''],
  ['locks are ignored', 'if (terms & VoucherRecord.LOCKED != 0 && !isOperator[msg.sender]) revert NotOperator();', ''],
  [
    'the creator may relay locked vouchers',
    '!isOperator[msg.sender]',
    '!isOperator[msg.sender] && msg.sender != terms.creatorOf()',
  ],
  [
    'operators need no signature',
    'if (signature.length != 65)',
    'if (isOperator[msg.sender]) return;\n        if (signature.length != 65)',
  ],
  ['high s is accepted', 'if (uint256(s) > S_MAX) revert SignatureInvalid();', ''],
  ['longer signatures are accepted', 'signature.length != 65', 'signature.length < 65'],
  ['any signer is accepted', '|| _hashCode(creator, signer) != redemption.codeHash', ''],
  ['signatures are valid on other chains', 'block.chainid == _chainId ? _domain : _hashDomain()', '_domain'],
  ['signatures are valid in other vaults', 'block.chainid, address(this)))', 'block.chainid, address(1)))'],
  ['another name in the domain', '"Scrip VoucherVault"', '"Scrip Vault"'],
  [
    'coin need not be exact',
    '(asset == address(0) ? amount : 0)) revert PaymentInexact();',
    '(asset == address(0) ? msg.value : 0)) revert PaymentInexact();',
  ],
  [
    'coin is lost in a vault of tokens',
    'if (msg.value != (asset == address(0) ? amount : 0))',
    'if (asset == address(0) && msg.value != amount)',
  ],
  ['a token need not arrive', 'if (asset.held() != before + amount) revert PaymentInexact();', ''],
  ['a token may deliver more', 'asset.held() != before + amount', 'asset.held() < before + amount'],
  ['a batch counts the last amount only', 'total += amount;', 'total = amount;'],
  [
    'lengths may differ',
    'if (claimKeys.length != amounts.length) revert LengthMismatch();',
    'if (claimKeys.length < amounts.length) revert LengthMismatch();',
  ],
  ['a failed payment is ignored', 'if (!asset.send(to, amount)) revert TransferFailed();', 'asset.send(to, amount);'],
  ['the zero address is paid', 'to == address(0) || to == address(this)', 'to == address(this)'],
  ['the vault is paid', 'to == address(0) || to == address(this)', 'to == address(0)'],
  ['skimming takes everything', 'amount = held - liabilities();', 'amount = held;'],
  ['skimming fails when too little is held', 'if (held <= liabilities()) return 0;', ''],
  ['anyone may administer', 'if (msg.sender != owner) revert NotOwner();', ''],
  ['anyone may accept ownership', 'if (msg.sender != pendingOwner) revert NotPendingOwner();', ''],
  [
    'ownership moves at once',
    'pendingOwner = pendingOwner_;',
    '(pendingOwner, owner) = (pendingOwner_, pendingOwner_);',
  ],
  ['an offer of ownership stays', 'pendingOwner = address(0);', ''],
  ['an asset may be no contract', 'if (asset_ != address(0) && asset_.code.length == 0) revert AssetInvalid();', ''],
  ['an owner may be missing', 'if (owner_ == address(0)) revert OwnerMissing();', ''],
  ['zero may be an operator', 'if (operator != address(0)) _setOperator', '_setOperator'],
  ['a token without code pays', 'and(isDone, gt(extcodesize(token), 0))', 'isDone', asset],
  ['a token that returns false pays', 'eq(mload(0), 1)', '1', asset],
  [
    'a reverted transfer pays',
    'isDone := call(gas(), token, 0, add(data, 32), mload(data), 0, 32)',
    'pop(call(gas(), token, 0, add(data, 32), mload(data), 0, 32))\n            isDone := 1',
    asset,
  ],
  ['locked vouchers are not', 'if (isLocked) terms |= LOCKED;', '', record],
  ['the value starts at half', 'uint256(value) << 128 | value', 'uint256(value) << 128 | value / 2', record],
]

function copyProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'scrip-mutations-'))
  for (const file of files) cpSync(join(import.meta.dirname, file), join(folder, file), { recursive: true })
  // Linked, not copied: the compiler finds its modules from its real path.
  symlinkSync(join(import.meta.dirname, 'tools'), join(folder, 'tools'))
  return folder
}

/** Whether all tests pass. Throws if they could not run, because a mutation that does not compile shows nothing. */
function passes(folder: string): boolean {
  const { stdout, stderr, error } = spawnSync('forge', ['test', '--fail-fast'], {
    cwd: folder,
    env: {
      ...process.env,
      // Tests are compiled once, and each mutation compiles the contract only: 7 instead of 58 seconds.
      FOUNDRY_DYNAMIC_TEST_LINKING: 'true',
      // A mutation leaves parameters unused.
      FOUNDRY_DENY: 'never',
      FOUNDRY_LINT_LINT_ON_BUILD: 'false',
    },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  if (error !== undefined) throw error
  if (/^Encountered \d+ failing test/m.test(stdout)) return false
  if (/\d+ tests passed, 0 failed, 0 skipped/.test(stdout)) return true
  throw new Error(`The tests did not run:\n${stdout}${stderr}`)
}

function plant(source: string, [name, text, replacement]: Mutation): string {
  if (source.split(text).length !== 2) throw new Error(`${name}: the text must occur exactly once: ${text}`)
  return source.replace(text, () => replacement)
}

/** Prints the mutations that no test found. Returns whether there are none. */
export function runMutations(): boolean {
  const startMs = Date.now()
  const folder = copyProject()
  try {
    if (!passes(folder)) throw new Error('The tests fail without a mutation.')
    const sources = new Map([vault, asset, record].map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
    const planted = mutations.map((mutation) => {
      const file = mutation[3] ?? vault
      return { name: mutation[0], file, text: plant(sources.get(file) ?? '', mutation) }
    })
    const survivors = planted.filter(({ name, file, text }) => {
      writeFileSync(join(folder, file), text)
      const isMissed = passes(folder)
      writeFileSync(join(folder, file), sources.get(file) ?? '')
      if (isMissed) console.error(`mutations: no test fails if ${name}`)
      return isMissed
    })
    const seconds = Math.round((Date.now() - startMs) / 1000)
    const caught = planted.length - survivors.length
    console.log(`mutations total=${planted.length} caught=${caught} seconds=${seconds}`)
    return survivors.length === 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
