package io.ensemble.rest.http;

/**
 * The permissions of a caller. They depend on names alone, so a refusal never shows whether the
 * thing exists.
 */
public interface Permissions {

  /** All permissions. */
  Permissions ALL =
      new Permissions() {
        @Override
        public boolean hasRoleInCache(Role role, String cache) {
          return true;
        }

        @Override
        public boolean hasRoleInFederation(Role role) {
          return true;
        }

        @Override
        public boolean hasRoleAnywhere(Role role) {
          return true;
        }
      };

  /** Whether the caller has the role in that cache. */
  boolean hasRoleInCache(Role role, String cache);

  /** Whether the caller has the role in the federation. */
  boolean hasRoleInFederation(Role role);

  /** Whether the caller may have the role in some cache or in the federation. */
  boolean hasRoleAnywhere(Role role);
}
