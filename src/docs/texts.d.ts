/** Files that the build takes in as texts. */
declare module "*.md" {
  const text: string;
  export default text;
}
declare module "*.css" {
  const text: string;
  export default text;
}
declare module "*.svg" {
  const text: string;
  export default text;
}
declare module "*.mjs" {
  const text: string;
  export default text;
}
declare module "*.sh" {
  const text: string;
  export default text;
}
declare module "*.cs" {
  const text: string;
  export default text;
}
declare module "*.java" {
  const text: string;
  export default text;
}
declare module "*.php" {
  const text: string;
  export default text;
}
declare module "*.py" {
  const text: string;
  export default text;
}
declare module "*.toml" {
  const text: string;
  export default text;
}
