import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/", "node_modules/", "src/protocol.ts"] },
  {
    files: ["src/**/*.ts", "test/unit/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { project: "./tsconfig.json" } },
    rules: {
      "max-lines": ["error", { max: 350 }],
      "max-lines-per-function": ["error", { max: 60, skipComments: true }],
      "max-depth": ["error", 3],
      "@typescript-eslint/no-floating-promises": ["error", { ignoreVoid: true, allowForKnownSafeCalls: [{ from: "package", name: ["test", "describe"], package: "node:test" }] }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": "off",
    },
  },
);
