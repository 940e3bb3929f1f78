/**
 * The console: one static page that shows the federation in a browser, and what it is made of. The
 * page asks the same endpoints as anybody else; nothing here knows a site or a cache.
 */
@NullMarked
package io.ensemble.rest.console;

import org.jspecify.annotations.NullMarked;
