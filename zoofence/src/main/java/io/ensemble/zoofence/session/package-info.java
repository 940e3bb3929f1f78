/**
 * A client's session. Each request goes, in order, to the instances that hold its path, and the
 * replies return in the same order (the paper's section IV-B). Everything of one session runs on
 * one event loop.
 */
@NullMarked
package io.ensemble.zoofence.session;

import org.jspecify.annotations.NullMarked;
