import Type, { type Static } from 'typebox'

/** What is stored about a person: the rows of each section, as they are stored. */
export const wirePersonalData = Type.Object({
  sections: Type.Array(
    Type.Object({ name: Type.String(), rows: Type.Array(Type.Record(Type.String(), Type.Unknown())) }),
  ),
})
export type WirePersonalData = Static<typeof wirePersonalData>
