// Macros of other headers, as these define them: what a program may have included before gimbal. CCCL's own headers
// compile behind all of these; macros.cu has others.
#pragma once

// <complex.h>
#define I _Complex_I

// Qt: qobjectdefs.h, qforeach.h
#define signals public
#define slots
#define emit
#define foreach(variable, container) for (variable : container)
#define forever for (;;)

// Windows: minwindef.h, rpcndr.h, combaseapi.h
#define near
#define far
#define NEAR near
#define FAR far
#define IN
#define OUT
#define OPTIONAL
#define CONST const
#define VOID void
#define TRUE 1
#define FALSE 0
#define pascal __stdcall
#define PASCAL __stdcall
#define CALLBACK __stdcall
#define WINAPI __stdcall
#define small char
#define hyper long long
// winnt.h, wingdi.h, winerror.h, winbase.h, fileapi.h, dlgs.h, winsock2.h
#define DELETE (0x00010000L)
#define UNALIGNED
#define TEXT(quote) L##quote
#define ERROR 0
#define NO_ERROR 0L
#define DIFFERENCE 11
#define ABSOLUTE 1
#define RELATIVE 2
#define OPAQUE 2
#define TRANSPARENT 1
#define PASSTHROUGH 19
#define Yield()
#define GetObject GetObjectW
#define GetMessage GetMessageW
#define LoadImage LoadImageW
#define CreateFile CreateFileW
#define FindText FindTextW
#define CopyMemory RtlCopyMemory
#define FillMemory RtlFillMemory
#define rad1 0x0420
#define grp1 0x0430
#define lst1 0x0460
#define edt1 0x0480
#define s_addr S_un.S_addr

// X11: X.h, Xlib.h, Xutil.h
#define None 0L
#define Bool int
#define Status int
#define True 1
#define False 0
#define Success 0
#define Always 2
#define Above 0
#define Below 1
#define Opposite 4
#define Complex 0
#define Convex 2
#define Unsorted 0
#define YSorted 1
#define CurrentTime 0L
#define CopyFromParent 0L
#define CursorShape 0
#define TileShape 1
#define FocusIn 9
#define KeyPress 2
#define GrayScale 1

// ncurses: curses.h, which takes clear, erase, move and others away from C++ itself
#define ERR (-1)
#define getch() wgetch(stdscr)
#define inch() winch(stdscr)
#define addch(ch) waddch(stdscr, (ch))
#define attrset(at) wattrset(stdscr, (at))
#define border(ls, rs, ts, bs, tl, tr, bl, br) wborder(stdscr, (ls), (rs), (ts), (bs), (tl), (tr), (bl), (br))
#define instr(s) winstr(stdscr, (s))
#define scroll(win) wscrl((win), 1)
#define timeout(delay) wtimeout(stdscr, (delay))

// glibc: sys/sysmacros.h, sys/param.h; libintl.h as programs use it
#define major(dev) gnu_dev_major(dev)
#define minor(dev) gnu_dev_minor(dev)
#define makedev(maj, min) gnu_dev_makedev(maj, min)
#define MIN(a, b) (((a) < (b)) ? (a) : (b))
#define MAX(a, b) (((a) > (b)) ? (a) : (b))
#define howmany(x, y) (((x) + ((y)-1)) / (y))
#define roundup(x, y) ((((x) + ((y)-1)) / (y)) * (y))
#define powerof2(x) ((((x)-1) & (x)) == 0)
#define setbit(a, i) ((a)[(i) / 8] |= 1 << ((i) % 8))
#define isset(a, i) ((a)[(i) / 8] & (1 << ((i) % 8)))
#define NBBY 8
#define _(text) gettext(text)
#define N_(text) text

// termios.h; AIX, HP-UX and Solaris: sys/m_param.h, sys/regset.h, what compilers define
#define B0 0000000
#define B50 0000001
#define ECHO 0000010
#define CTRL(c) ((c)&037)
#define hz 60
#define CS 2
#define DS 4
#define ES 5
#define SS 3
#define PC 7
#define sun 1
#define hpux 1
#undef unix
#define unix 1
#undef linux
#define linux 1

// newlib: ctype.h
#define _L 02
#define _N 04
#define _S 010
#define _P 020
#define _C 040
#define _X 0100
#define _B 0200

// Arduino.h, binary.h
#define PI 3.1415926535897932384626433832795
#define HIGH 0x1
#define LOW 0x0
#define INPUT 0x0
#define OUTPUT 0x1
#define CHANGE 1
#define FALLING 2
#define RISING 3
#define DEFAULT 1
#define EXTERNAL 0
#define B1 1
#define B11111111 255
#define sq(x) ((x) * (x))
#define constrain(amt, low, high) ((amt) < (low) ? (low) : ((amt) > (high) ? (high) : (amt)))
#define lowByte(w) ((uint8_t)((w)&0xff))
#define highByte(w) ((uint8_t)((w) >> 8))
#define bitRead(value, bit) (((value) >> (bit)) & 0x01)
#define bitSet(value, bit) ((value) |= (1UL << (bit)))
#define bit(b) (1UL << (b))
#define _BV(bit) (1 << (bit))
#define word(...) makeWord(__VA_ARGS__)
#define interrupts() sei()

// R: Rinternals.h, R_ext/RS.h
#define allocVector Rf_allocVector
#define cons Rf_cons
#define duplicate Rf_duplicate
#define elt Rf_elt
#define install Rf_install
#define isNull Rf_isNull
#define length Rf_length
#define list1 Rf_list1
#define nrows Rf_nrows
#define protect Rf_protect
#define unprotect Rf_unprotect
#define warning Rf_warning
#define Calloc(n, t) (t*)R_chk_calloc((R_SIZE_T)(n), sizeof(t))
#define Free(p) (R_chk_free((void*)(p)), (p) = NULL)

// Objective-C and Carbon: objc.h, MacTypes.h
#define nil 0
#define Nil 0
#define YES 1
#define NO 0

// Unreal Engine: Build.h, AssertionMacros.h
#define INDEX_NONE -1
#define FORCEINLINE inline
#define verify(expression) ((void)(expression))
#define checkf(expression, format, ...) ((void)(expression))
#define ensure(expression) (!!(expression))
#define unimplemented() ((void)0)

// googletest, glog, PyTorch: gtest.h, logging.h
#define TEST(suite, name) void suite##name()
#define FAIL() return
#define SUCCEED() ((void)0)
#define CHECK(condition) ((void)(condition))
#define CHECK_EQ(a, b) CHECK((a) == (b))
#define DCHECK(condition) CHECK(condition)
#define LOG(severity) COMPACT_GOOGLE_LOG_##severity.stream()
#define VLOG(level) LOG(level)

// f2c.h; jpeglib.h: jmorecfg.h; GLib: gmacros.h; OpenFOAM: UList.H; rpc/types.h
#define TRUE_ (1)
#define FALSE_ (0)
#define Extern extern
#define dabs(x) (doublereal) abs(x)
#define bit_test(a, b) ((a) >> (b)&1)
#define bit_clear(a, b) ((a) & ~((uinteger)1 << (b)))
#define bit_set(a, b) ((a) | ((uinteger)1 << (b)))
#define LOCAL(type) static type
#define GLOBAL(type) type
#define SIZEOF(object) ((size_t)sizeof(object))
#define ABS(a) (((a) < 0) ? -(a) : (a))
#define CLAMP(x, low, high) (((x) > (high)) ? (high) : (((x) < (low)) ? (low) : (x)))
#define forAll(list, i) for (int i = 0; i < (list).size(); i++)
#define mem_alloc(bsize) malloc(bsize)
#define mem_free(ptr, bsize) free(ptr)

// PostgreSQL: c.h, elog.h; Python 2: structmember.h; Perl: handy.h, scope.h, pp.h
#define Abs(x) ((x) >= 0 ? (x) : -(x))
#define Assert(condition) ((void)true)
#define lengthof(array) (sizeof(array) / sizeof((array)[0]))
#define INFO 17
#define NOTICE 18
#define WARNING 19
#define FATAL 21
#define RO READONLY
#define READONLY 1
#define Move(s, d, n, t) (void)memmove((char*)(d), (const char*)(s), (n) * sizeof(t))
#define Zero(d, n, t) (void)memset((char*)(d), 0, (n) * sizeof(t))
#define Null(type) ((type)NULL)
#define ENTER push_scope()
#define LEAVE pop_scope()
#define SP sp
#define MARK mark
