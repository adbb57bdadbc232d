import { defineConfig } from 'eslint/config'
import reactHooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'

export default defineConfig(
  { ignores: ['**/node_modules/', '**/*.gen.ts', '.scrip/', '**/dist/'] },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportAllDeclaration', message: 'No barrel files: import from where a thing lives.' },
        { selector: 'ClassDeclaration:not([superClass])', message: 'Plain functions; a class only for an error.' },
      ],
      'no-restricted-globals': ['error', { name: 'parseFloat', message: 'No float touches an amount.' }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    },
  },
  { files: ['web/**/*.{ts,tsx}'], extends: [reactHooks.configs.flat['recommended-latest']] },
  {
    // A route table is a list: one function that registers every route of a folder reads best in one piece.
    files: ['**/routes.ts', '**/*-routes.ts'],
    rules: { 'max-lines-per-function': 'off' },
  },
  {
    // Time and configuration come in from outside, so that a test can set them.
    files: ['server/src/**/*.ts'],
    ignores: ['**/*.test.ts', 'server/src/base/clock.ts', 'server/src/config.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Take the time from the clock that is passed in.' },
        { object: 'Math', property: 'random', message: 'Take randomness from base/random.' },
        { object: 'process', property: 'env', message: 'Only config.ts reads the environment.' },
      ],
    },
  },
  {
    files: ['**/*.test.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      'max-lines': 'off',
      'max-lines-per-function': 'off',
    },
  },
)
