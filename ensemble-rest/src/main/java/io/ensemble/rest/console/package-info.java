/**
 * The console: a static page that shows the federation in a browser, and its files. The page uses
 * the same endpoints as every other client; this package has no access to sites or caches.
 */
@NullMarked
package io.ensemble.rest.console;

import org.jspecify.annotations.NullMarked;
