import { hash, verify } from '@node-rs/argon2'

export const passwordLengthMin = 10
export const passwordLengthMax = 128

// The minimum that OWASP recommends: about 25 ms and 19 MB each.
const argon2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
export const hashPassword = (password: string): Promise<string> => hash(password, argon2)
export const isPassword = (known: string, password: string): Promise<boolean> => verify(known, password)
