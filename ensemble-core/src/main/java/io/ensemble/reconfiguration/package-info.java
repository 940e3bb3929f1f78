/**
 * Reconfiguration: a cache moves to other sites, another mode or new stores, or continues without a
 * lost site.
 */
@NullMarked
package io.ensemble.reconfiguration;

import org.jspecify.annotations.NullMarked;
