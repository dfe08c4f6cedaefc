/** The part of busboy that `multipart.ts` uses. The package has no types of its own. */
declare module 'busboy' {
  import { type Readable, type Writable } from 'node:stream';

  interface Busboy extends Writable {
    on(
      event: 'file',
      listener: (name: string, file: Readable, info: { encoding: string; filename?: string; mimeType: string }) => void,
    ): this;
    on(event: 'field' | 'filesLimit' | 'fieldsLimit' | 'partsLimit', listener: () => void): this;
    on(event: 'error', listener: (error: Error) => void): this;
    on(event: string, listener: (...values: never[]) => void): this;
  }

  /** @throws Error if the Content-Type names no boundary */
  export default function busboy(options: { headers: { 'content-type': string }; limits: Record<string, number> }): Busboy;
}
