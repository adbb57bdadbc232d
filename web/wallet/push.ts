import { act, read } from './ask-wallet.ts'

const pushKey = 'scrip-push'

/** Whether this device was subscribed here. */
export function isPushOn(): boolean {
  return localStorage.getItem(pushKey) === 'on' && 'Notification' in globalThis && Notification.permission === 'granted'
}

/** Says whether it worked: the browser asks the person, and he may say no. */
export async function turnPushOn(): Promise<boolean> {
  try {
    if ((await Notification.requestPermission()) !== 'granted') return false
    const known = await read<{ readonly key: string }>('/wallet/push-key')
    if ('refusal' in known) return false
    const worker = await navigator.serviceWorker.ready
    const subscription = await worker.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: known.data.key,
    })
    const { endpoint = '', keys = {} } = subscription.toJSON()
    const answer = await act('/wallet/push-subscriptions', { endpoint, keys })
    if ('refusal' in answer) return false
    localStorage.setItem(pushKey, 'on')
    return true
  } catch {
    return false
  }
}

export async function turnPushOff(): Promise<boolean> {
  localStorage.removeItem(pushKey)
  const worker = await navigator.serviceWorker.ready
  const subscription = await worker.pushManager.getSubscription()
  if (subscription === null) return true
  await act('/wallet/push-subscriptions/remove', { endpoint: subscription.endpoint })
  return subscription.unsubscribe()
}
