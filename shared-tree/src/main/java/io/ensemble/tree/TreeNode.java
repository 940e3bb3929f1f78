package io.ensemble.tree;

/**
 * A node as a transaction reads it. The numbers are those of commits, which grow by one.
 *
 * @param value its bytes, not to be changed
 * @param created the commit that created it
 * @param modified the last commit that set the value
 * @param childrenModified the last commit that created or removed a child
 */
public record TreeNode(
    TreePath path,
    byte[] value,
    NodePermissions permissions,
    long created,
    long modified,
    long childrenModified) {}
