import type { ReactNode } from 'react'
import type { Refusal } from '../ui/send-request.ts'
import { Button } from '../ui/button.tsx'
import { SignInForm } from '../ui/sign-in-form.tsx'
import { act } from './request-wallet.ts'
import { Screen } from './frame.tsx'
import { signInByPasskey } from './passkey.ts'
import { chooseRealm, realm } from './realm.ts'
import { Link } from './route.ts'
import { describeError, words } from './words.ts'

const formWords = { ...words.signIn, oneMoment: words.oneMoment }
const say = (refusal: Refusal): string =>
  refusal.code === 'PASSKEY_FAILED' ? words.signIn.passkeyFailed : describeError(refusal)

export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }): ReactNode {
  return (
    <Screen heading={words.signIn.heading}>
      <SignInForm
        realm={realm}
        act={act}
        words={formWords}
        say={say}
        passkey={[words.signIn.passkey, signInByPasskey]}
        onSignedIn={onSignedIn}
      >
        <p>
          {words.signIn.noAccount}{' '}
          <Link className="link" to="/sign-up">
            {words.signIn.signUp}
          </Link>
        </p>
        <Button kind="bare" onClick={() => chooseRealm(realm === 'test' ? 'live' : 'test')}>
          {realm === 'test' ? words.signIn.toLive : words.signIn.toTest}
        </Button>
      </SignInForm>
    </Screen>
  )
}
