/** What can be let go of again. vscode.Disposable has the same form. */
export interface Disposable {
  dispose(): void;
}

/** Signal tells listeners that something changed. It stands in for vscode.EventEmitter where the tests run without an editor. */
export class Signal<T> {
  private readonly listeners = new Set<(value: T) => void>();

  on(listener: (value: T) => void): Disposable {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  fire(value: T): void {
    for (const listener of [...this.listeners]) {
      listener(value);
    }
  }
}
