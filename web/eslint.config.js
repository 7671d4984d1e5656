// SPDX-License-Identifier: Apache-2.0
import tseslint from "typescript-eslint";

export default tseslint.config(
  ...tseslint.configs.strictTypeChecked,
  { languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } } },
  { ignores: ["eslint.config.js", "node_modules/"] },
  {
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off", // arrays are indexed within their length
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/explicit-function-return-type": "error",
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      eqeqeq: "error",
      "max-len": ["error", { code: 140 }],
    },
  },
);
