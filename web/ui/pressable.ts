import './pressable.css'

// React Aria adds a style element unless one with this id exists. The content security policy forbids that, and our style sheet has the rule.
document.head.append(Object.assign(document.createElement('meta'), { id: 'react-aria-pressable-style' }))
