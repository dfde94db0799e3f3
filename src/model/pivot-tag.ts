/** What stands before a pivot's feedback wherever a model reads it, and nowhere else. */
export const pivotTag = "**[BUDGET_PIVOT_FEEDBACK]:**";
