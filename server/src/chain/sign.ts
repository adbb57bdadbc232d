import { type Hex, keccak256, serializeTransaction, type Signature, type TransactionSerializableEIP1559 } from 'viem'
import { privateKeyToAddress, sign as signWithKey } from 'viem/accounts'

/** Signs 32 bytes, with s in its lower half. A hardware key can implement the same function. */
type Sign = (digest: Hex) => Promise<Signature>

export type Signer = { readonly address: string; readonly sign: Sign }

export function localSigner(privateKey: Hex): Signer {
  return {
    address: privateKeyToAddress(privateKey).toLowerCase(),
    sign: (hash) => signWithKey({ hash, privateKey }),
  }
}

/** The raw signed transaction and its hash. */
export async function signTransaction(
  { sign }: Signer,
  transaction: TransactionSerializableEIP1559,
): Promise<{ readonly raw: Hex; readonly hash: Hex }> {
  const raw = serializeTransaction(transaction, await sign(keccak256(serializeTransaction(transaction))))
  return { raw, hash: keccak256(raw) }
}
