/**
 * A client's session: its requests in their order, each brought to the instances that hold its
 * path, and the replies in the same order (the paper's section IV-B). Everything of one session
 * runs on one event loop.
 */
@NullMarked
package io.ensemble.zoofence.session;

import org.jspecify.annotations.NullMarked;
