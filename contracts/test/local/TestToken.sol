// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title A token for tests and local networks that anyone can mint
contract TestToken {
    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed owner, address indexed spender, uint256 amount);

    error BalanceTooLow();
    error AllowanceTooLow();

    string public name;
    string public symbol;
    uint8 public immutable decimals;
    uint256 public totalSupply;
    mapping(address => uint256) internal _balances;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
    }

    function balanceOf(address holder) external view virtual returns (uint256) {
        return _balances[holder];
    }

    function mint(address to, uint256 amount) external {
        totalSupply += amount;
        _balances[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external virtual returns (bool) {
        _transfer(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external virtual returns (bool) {
        _spend(from, amount);
        _transfer(from, to, amount);
        return true;
    }

    function _spend(address from, uint256 amount) internal {
        if (allowance[from][msg.sender] < amount) revert AllowanceTooLow();
        allowance[from][msg.sender] -= amount;
    }

    function _transfer(address from, address to, uint256 amount) internal virtual {
        if (_balances[from] < amount) revert BalanceTooLow();
        _balances[from] -= amount;
        _balances[to] += amount;
        emit Transfer(from, to, amount);
    }
}

/// @title Returns nothing from transfers, as USDT does on Ethereum
contract SilentToken is TestToken {
    constructor(string memory name_, string memory symbol_, uint8 decimals_) TestToken(name_, symbol_, decimals_) {}

    function transfer(address to, uint256 amount) external override returns (bool) {
        _transfer(msg.sender, to, amount);
        assembly {
            return(0, 0)
        }
    }

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        _spend(from, amount);
        _transfer(from, to, amount);
        assembly {
            return(0, 0)
        }
    }
}

/// @title Keeps a hundredth of every transfer
contract TaxedToken is TestToken {
    constructor(string memory name_, string memory symbol_, uint8 decimals_) TestToken(name_, symbol_, decimals_) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        super._transfer(from, to, amount - amount / 100);
        super._transfer(from, address(this), amount / 100);
    }
}

/// @title Refuses every transfer from or to a blocked holder
contract BlockingToken is TestToken {
    error Blocked();

    mapping(address => bool) public isBlocked;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) TestToken(name_, symbol_, decimals_) {}

    function setBlocked(address holder, bool isBlocked_) external {
        isBlocked[holder] = isBlocked_;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        if (isBlocked[from] || isBlocked[to]) revert Blocked();
        super._transfer(from, to, amount);
    }
}

/// @title Refills a deposit address with another token while it is being swept
contract RefillingToken {
    TestToken public immutable other;
    address public deposit;
    uint256 public part;

    constructor(TestToken other_) {
        other = other_;
    }

    function aim(address deposit_, uint256 part_) external {
        (deposit, part) = (deposit_, part_);
    }

    function balanceOf(address) external pure returns (uint256) {
        return 1;
    }

    /// @dev Sends the address a part of what this contract holds.
    function transfer(address, uint256) external returns (bool) {
        uint256 held = other.balanceOf(address(this));
        return other.transfer(deposit, held < part ? held : part);
    }
}
