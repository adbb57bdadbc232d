import type { Refusal } from '../ui/ask-server.ts'
import { Button } from '../ui/button.tsx'
import { SignInForm } from '../ui/sign-in-form.tsx'
import { act } from './ask-wallet.ts'
import { Screen } from './frame.tsx'
import { signInByPasskey } from './passkey.ts'
import { chooseRealm, realm } from './realm.ts'
import { Link } from './route.ts'
import { sayRefusal, words } from './words.ts'

/** What the form says, and what a passkey that failed means. */
const formWords = { ...words.signIn, oneMoment: words.oneMoment }
const say = (refusal: Refusal): string =>
  refusal.code === 'PASSKEY_FAILED' ? words.signIn.passkeyFailed : sayRefusal(refusal)

export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
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
          {words.signIn.noAccount} <Link to="/sign-up">{words.signIn.signUp}</Link>
        </p>
        <Button kind="bare" onClick={() => chooseRealm(realm === 'test' ? 'live' : 'test')}>
          {realm === 'test' ? words.signIn.toLive : words.signIn.toTest}
        </Button>
      </SignInForm>
    </Screen>
  )
}
