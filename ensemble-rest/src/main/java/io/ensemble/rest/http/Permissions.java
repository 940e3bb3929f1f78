package io.ensemble.rest.http;

/**
 * What a caller may do. Decides by names alone, so an answer never tells whether the thing exists.
 */
public interface Permissions {

  /** Everything, everywhere. */
  Permissions ALL =
      new Permissions() {
        @Override
        public boolean ofCache(Role role, String cache) {
          return true;
        }

        @Override
        public boolean ofFederation(Role role) {
          return true;
        }

        @Override
        public boolean somewhere(Role role) {
          return true;
        }
      };

  /** Whether the caller has the role in that cache. */
  boolean ofCache(Role role, String cache);

  /** Whether the caller has the role in the federation. */
  boolean ofFederation(Role role);

  /** Whether there is a cache, or the federation, where the caller may have the role. */
  boolean somewhere(Role role);
}
